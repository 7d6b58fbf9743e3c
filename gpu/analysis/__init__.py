"""Analysis of pipelines: measurement, comparison of results, and errors of disparities."""
