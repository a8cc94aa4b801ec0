// Long texts cost a model much and tell it little; structured content stays whole.
if (!Array.isArray(context.response?.content)) return;
for (const part of context.response.content) {
  if (part.type !== "text" || typeof part.text !== "string") continue;
  if (part.text.length <= parameters.maxCharacters) continue;
  const left = part.text.length - parameters.maxCharacters;
  part.text = `${part.text.slice(0, parameters.maxCharacters)}\n[${left} more characters]`;
}
