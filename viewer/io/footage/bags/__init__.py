"""Robot recordings: ROS 1 bags, ROS 2 bags and MCAP files.

Begin with ``opening``; ``messages`` decodes what is read.
"""
