if (parameters.tools.includes(context.toolName)) return;
const message = `Tool '${context.toolName}' is not on the allow-list`;
return {continue: false, error: {code: "NOT_ALLOWED", message}};
