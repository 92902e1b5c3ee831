import { checkTypes } from "@sonde/proto/http/monitors/kinds";
import { describe, expect, it } from "vitest";
import { fieldLabel, kindForms, proposedName } from "./kinds.ts";

describe("form descriptions", () => {
  it("exist for each kind of check", () => {
    expect(Object.keys(kindForms).toSorted()).toEqual(checkTypes.toSorted());
  });

  it("provide audit labels of fields, with the unit of the stored value", () => {
    expect(fieldLabel("maxOffset")?.en).toBe("Maximum offset (ms)");
    expect(fieldLabel("grace")).toEqual({ en: "Grace period (seconds)", zh: "宽限期（秒）" });
    expect(fieldLabel("retries")?.en).toBe("Retries before down");
    expect(fieldLabel("nothing")).toBeUndefined();
  });

  it.each([
    ["http", { url: "https://www.shop.example/health" }, "shop.example"],
    ["tcp", { host: "::1", port: "5432" }, "[::1]:5432"],
    ["mail", { host: "mail.example", port: "", protocol: "imap", security: "tls" }, "mail.example:993"],
    ["icmp", { host: " router " }, "router"],
    ["dns", { host: "shop.example", recordType: "MX" }, "shop.example MX"],
    ["flow", { steps: [{ url: "https://shop.example/login" }] }, "shop.example"],
    ["heartbeat", {}, ""],
  ] as const)("propose a name for %s", (type, values, name) => {
    expect(proposedName(type, values)).toBe(name);
  });
});
