export type MessageParams = Readonly<Record<string, string | number>>;

/** Fills `{name}` placeholders; unknown ones stay. Separate from the messages because those are large. */
export function fill(text: string, params: MessageParams = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}
