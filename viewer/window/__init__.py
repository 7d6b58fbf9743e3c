"""Run the program in a window or a browser: events, requested actions, and the frame loop."""
