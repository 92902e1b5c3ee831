import { expect, test } from "vitest";
import { expectFirstStart } from "./support/first-start.ts";

// README.md names 20.10 as the oldest supported Node. npm 10.8.2 ships with Node 20 and deletes node_modules/.bin/node.
test.for([
  { node: "20.10.0", npm: "9.2.0" },
  { node: "20.10.0", npm: "10.8.2" },
  { node: "20.20.2", npm: "10.9.4" },
  { node: "22.12.0", npm: "10.9.4" },
  { node: "22.23.5", npm: "11.0.0" },
  { node: "22.23.5", npm: "latest" },
])("a clean clone starts and runs a test with Node $node and npm $npm", { timeout: 1_800_000 }, async (versions) => {
  await expect(expectFirstStart(versions)).resolves.toBeUndefined();
});
