"""Compare variants with the reference on random configurations, bit by bit."""
