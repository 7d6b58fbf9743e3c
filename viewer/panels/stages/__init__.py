"""The stage strip: the time and bandwidth of every stage."""
