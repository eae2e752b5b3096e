"""products: factors side by side or with a sign between, powers and quotients → their value."""
