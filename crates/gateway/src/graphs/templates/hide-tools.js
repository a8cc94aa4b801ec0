// A list that is not shown whole; pair it with a guard on tools/call, since hidden tools can still be called.
if (!Array.isArray(context.response?.tools)) return;
const hidden = new Set(parameters.tools);
context.response.tools = context.response.tools.filter((tool) => !hidden.has(tool.name));
