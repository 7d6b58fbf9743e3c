"""What is measured, compared and judged of pipelines that run."""
