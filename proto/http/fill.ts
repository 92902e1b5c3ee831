export type MessageParams = Readonly<Record<string, string | number>>;

/** Fills `{name}` placeholders; an unknown placeholder stays as it is. Apart from the messages, which are many. */
export function fill(text: string, params: MessageParams = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}
