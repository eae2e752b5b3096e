"""components: typed equations in, the components that they are, with their settings, out."""
