import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { showTimesIn } from "../lib/format.ts";
import { server } from "./server.ts";

// A loaded machine is no fault: what is awaited comes when it comes.
configure({ asyncUtilTimeout: 15_000 });

// What jsdom does not draw.
globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
globalThis.scrollTo = () => undefined;
globalThis.matchMedia = (query) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.hasPointerCapture = () => false;

const { body } = document;

beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, "", "/");
});
// Files share the document: the next one finds it as new.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  server.resetHandlers();
  showTimesIn(null);
  document.head.replaceChildren();
  // Tests of the status page replace it, but `screen` queries this one only.
  document.body.replaceWith(body);
  body.replaceChildren();
  for (const element of [document.documentElement, body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
});
afterAll(async () => {
  // vitest rejects imports that are under way when a file ends, and a lazy screen would keep that for the next files.
  await vi.dynamicImportSettled();
  server.close();
});
