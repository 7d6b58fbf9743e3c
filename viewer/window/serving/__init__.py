"""Show the program's window in browsers: send its pictures, receive keys and mouse events.

Three threads share a ``Viewers``: the main thread draws, one encodes, one serves browsers.
"""
