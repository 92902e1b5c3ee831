import { demoDocuments, type DemoOptions } from "@sonde/status-page/testing/demo-documents";

/** A document as status-page writes it. */
export function parseDemo(options: DemoOptions = {}, path = "/status"): Document {
  const text = demoDocuments(options).get(path)!();
  return new DOMParser().parseFromString(text, "text/html");
}

/** Opens a document of the invented page. */
export function openDemo(options: DemoOptions = {}, path = "/status"): void {
  const parsed = parseDemo(options, path);
  document.head.innerHTML = parsed.head.innerHTML;
  document.title = parsed.title;
  const root = document.documentElement;
  for (const { name } of root.attributes) root.removeAttribute(name);
  for (const { name, value } of parsed.documentElement.attributes) root.setAttribute(name, value);
  document.body.replaceWith(document.adoptNode(parsed.body));
}

/** The line of a service, by its id: `m4`, `a1`. */
export const service = (id: string): HTMLElement => document.querySelector<HTMLElement>(`#${id}`)!;
export const strip = (id: string): HTMLElement => service(id).querySelector<HTMLElement>(".bars")!;
