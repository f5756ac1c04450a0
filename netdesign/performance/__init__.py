"""What a design achieves: step time, requirement, error band."""
