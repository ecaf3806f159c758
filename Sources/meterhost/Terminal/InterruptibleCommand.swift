/// A command that ends in order when it is interrupted.
protocol InterruptibleCommand {}
