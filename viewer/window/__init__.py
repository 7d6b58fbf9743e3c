"""Run the program in a window or a browser: events, effects, and the frame loop."""
