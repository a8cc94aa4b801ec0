const patterns = parameters.patterns.map((text) => new RegExp(text, "i"));
const texts = [];
const collect = (value) => {
  if (typeof value === "string") texts.push(value);
  else if (value !== null && typeof value === "object") Object.values(value).forEach(collect);
};
collect(context.request.params.arguments);
if (!texts.some((text) => patterns.some((pattern) => pattern.test(text)))) return;
return {continue: false, error: {code: "NOT_ALLOWED", message: parameters.message}};
