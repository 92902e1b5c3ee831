import { demoDocuments, type DemoOptions } from "@sonde/status-page/testing/demo-documents";

/** A document rendered by status-page. */
export function parseDemo(options: DemoOptions = {}, path = "/status"): Document {
  const text = demoDocuments(options).get(path)!();
  return new DOMParser().parseFromString(text, "text/html");
}

/** Opens a document of the demo page. */
export function openDemo(options: DemoOptions = {}, path = "/status"): void {
  const parsed = parseDemo(options, path);
  document.head.innerHTML = parsed.head.innerHTML;
  document.title = parsed.title;
  const root = document.documentElement;
  for (const { name } of root.attributes) root.removeAttribute(name);
  for (const { name, value } of parsed.documentElement.attributes) root.setAttribute(name, value);
  document.body.replaceWith(document.adoptNode(parsed.body));
}

/** Element of a service by id, such as `m4` or `a1`. */
export const service = (id: string): HTMLElement => document.querySelector<HTMLElement>(`#${id}`)!;
export const strip = (id: string): HTMLElement => service(id).querySelector<HTMLElement>(".bars")!;
