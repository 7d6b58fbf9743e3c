"""The kernel card: source, launch and resources of what computes."""
