import { expect, it } from "vitest";
import { faultIn } from "./child-process.ts";

it("finds the sentence in which a process said why it could not start", () => {
  const words = [
    "(node:1) Warning: something",
    "core could not start: Error: Port 8080 is in use",
    "    at listen (file.ts:1:2)",
  ];

  expect(faultIn(words)).toBe("Port 8080 is in use");
});

it("leaves out the kind of an error that a server answered with", () => {
  const words = ['core could not start: error: password authentication failed for user "sonde"'];

  expect(faultIn(words)).toBe('password authentication failed for user "sonde"');
});

it("keeps every fault of a configuration", () => {
  const words = [
    "core could not start: The configuration is not valid.",
    "  PORT: must be a port",
    "  HOST: required",
    "",
  ];

  expect(faultIn(words)).toBe("The configuration is not valid.\n  PORT: must be a port\n  HOST: required");
});

it("falls back to the error that ended it", () => {
  expect(faultIn(["file.ts:1", "TypeError: x is not a function", "    at file.ts:1"])).toBe(
    "TypeError: x is not a function",
  );
  expect(faultIn(["", "nothing of note"])).toBeUndefined();
});

it("finds the error of a module that cannot be loaded", () => {
  const words = [
    "core could not start: file:///a.ts:2",
    "import { a } from 'b';",
    "SyntaxError: no export named 'a'",
    "    at x",
  ];

  expect(faultIn(words)).toBe("SyntaxError: no export named 'a'");
});
