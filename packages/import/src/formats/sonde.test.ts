import { secretMask } from "@sonde/proto/http/secrets";
import { importInput } from "@sonde/proto/http/import";
import { expect, test } from "vitest";
import { readExport } from "./sonde.ts";

test("options that need their masked secret are omitted, others stay, and all secrets are reported", () => {
  const monitor = {
    id: 7,
    name: "Shop",
    type: "http",
    url: "https://shop.example/",
    headers: [
      { name: "authorization", value: secretMask },
      { name: "accept", value: "*/*" },
    ],
    proxy: { url: "http://proxy.example:3128", username: "sonde", password: secretMask },
    oauth: { tokenUrl: "https://a.example/", clientId: "a", clientSecret: secretMask, authentication: "basic" },
  };
  const input = importInput.parse({
    source: "sonde",
    export: { version: 1, monitors: [monitor], channels: [], settings: {} },
  });
  if (input.source !== "sonde") throw new Error("another source");
  const [read] = readExport(input.export).monitors;
  expect(read?.input).toEqual({
    name: "Shop",
    type: "http",
    url: "https://shop.example/",
    headers: [{ name: "accept", value: "*/*" }],
    proxy: { url: "http://proxy.example:3128", username: "sonde" },
    paused: true,
  });
  expect(read?.notes).toEqual([
    {
      text: "Paused: enter the value of {headers} again",
      params: { headers: "authorization, proxy.password, oauth.clientSecret" },
    },
  ]);
});

test("steps of a flow lose only their masked headers", () => {
  const headers = [
    { name: "authorization", value: secretMask },
    { name: "accept", value: "*/*" },
  ];
  const monitor = { id: 7, name: "Shop", type: "flow", steps: [{ url: "https://shop.example/", headers }] };
  const input = importInput.parse({
    source: "sonde",
    export: { version: 1, monitors: [monitor], channels: [], settings: {} },
  });
  if (input.source !== "sonde") throw new Error("another source");
  const [read] = readExport(input.export).monitors;
  expect(read?.input["steps"]).toEqual([{ url: "https://shop.example/", headers: headers.slice(1) }]);
  expect(read?.notes[0]?.params).toEqual({ headers: "authorization" });
});
