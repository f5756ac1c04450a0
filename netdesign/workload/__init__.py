"""What a model demands: parameters, FLOPs, memory, the parallel plan and its traffic."""
