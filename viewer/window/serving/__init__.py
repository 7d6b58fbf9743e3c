"""The program's window in browsers: sends pictures, receives keys and mouse events.

Three threads share a ``Viewers``: the main thread draws, one encodes, one serves browsers.
"""
