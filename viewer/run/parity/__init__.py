"""Compare variants with the reference on random configurations, to the last bit."""
