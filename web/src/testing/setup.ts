import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { showTimesIn } from "../lib/format.ts";
import { server } from "./server.ts";

// Slow machines must not fail tests.
configure({ asyncUtilTimeout: 15_000 });

// Stubs for what jsdom does not implement.
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
// Test files share the document, so it is reset.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  server.resetHandlers();
  showTimesIn(null);
  document.head.replaceChildren();
  // Status page tests replace the body, but `screen` only queries this one.
  document.body.replaceWith(body);
  body.replaceChildren();
  for (const element of [document.documentElement, body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
});
afterAll(async () => {
  // vitest rejects imports pending at the end of a file, and `lazy` would cache that rejection for later files.
  await vi.dynamicImportSettled();
  server.close();
});
