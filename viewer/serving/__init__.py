"""The program's window in browsers: pictures go out, keys and mouse come in.

Three threads share an ``Audience``: the main one draws, one encodes, one talks to browsers.
"""
