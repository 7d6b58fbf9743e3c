"""What is known of the cameras: lens, baseline, depths that can be told, how rows lie."""
