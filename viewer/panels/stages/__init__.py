"""The stage panel: time and bandwidth of every stage."""
