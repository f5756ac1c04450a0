"""What a planner was promised, checked from outside: shell, laws, claims, package, notebooks."""
