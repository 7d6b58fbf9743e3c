"""The stage strip: what every stage costs."""
