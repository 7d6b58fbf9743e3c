"""Run CUDA kernels on the CPU: compile them by g++, launch them and report their faults.

A kernel's file is compiled after ``cuda_shim.hpp``, which declares the part of CUDA that kernels
use, and linked with ``scheduler.cpp``, which runs the threads. A *checked* program also reports
races, reads of uninitialised shared memory and accesses outside an array, and counts memory
transactions and bank conflicts.
"""
