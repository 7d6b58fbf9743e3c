"""Safe reading of files from unknown origins: size, depth and types are limited."""
