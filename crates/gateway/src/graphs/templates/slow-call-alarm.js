const {duration, serverName} = context.metadata;
if (duration < parameters.thresholdMs) return;
console.warn(`slow call: ${serverName}/${context.toolName} took ${duration} ms (threshold ${parameters.thresholdMs} ms)`);
