import { choicesOf } from "@sonde/proto/http/form";
import { channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { channelInput } from "@sonde/proto/http/notifications/channels";
import { describe, expect, it } from "vitest";
import * as en from "../../../locales/en-US/index.ts";
import * as zh from "../../../locales/zh-CN/index.ts";
import { neededFields, telegram } from "../../../testing/notifications.ts";
import {
  checkValues,
  emptyValues,
  fieldsOf,
  isRequired,
  pathOf,
  readConfig,
  readInput,
  schemaOf,
  showConfig,
  toValues,
} from "./form-values.ts";

type Words = Record<string, { fields: Record<string, { label: string; options?: Record<string, string> }> }>;

describe("the form of each channel type", () => {
  it.each(channelTypeNames)("has a label for each field of %s in both languages", (type) => {
    for (const { name, input } of fieldsOf(type)) {
      for (const words of [en.channelTypes, zh.channelTypes] as unknown as Words[]) {
        const field = words[type]?.fields[name];
        expect(field?.label).toBeTruthy();
        // A choice needs texts, except for HTTP methods.
        if (input === "choice")
          for (const option of choicesOf(schemaOf(type, name)))
            expect(field?.options?.[option] ?? option).toMatch(/[A-Z\u4e00-\u9fff]/);
      }
    }
  });

  it.each(channelTypeNames)(
    "includes every field of %s, with all required ones outside the further settings",
    (type) => {
      expect(Object.keys(showConfig(type)).length).toBeGreaterThan(0);
      for (const { name, advanced } of fieldsOf(type))
        if (advanced === true) expect(isRequired(type, name)).toBe(false);
    },
  );

  it.each(channelTypeNames)("reports missing required fields of %s", (type) => {
    const required = fieldsOf(type).filter(({ name }) => isRequired(type, name));
    const paths = checkValues(type, emptyValues()).map(({ path }) => path);
    expect(paths).toContain("name");
    expect(paths).toEqual(expect.arrayContaining(required.map(({ name }) => `config.${type}.${name}`)));
  });

  it.each(channelTypeNames)("sends valid input for %s when the required fields are filled in", (type) => {
    const { fields } = (en.channelTypes as unknown as Words)[type]!;
    const config = showConfig(type);
    for (const [label, text] of Object.entries(neededFields[type]))
      config[fieldsOf(type).find(({ name }) => fields[name]?.label === label)!.name] = text;
    const values = { ...emptyValues(`My ${type}`), config: { [type]: config } };
    expect(checkValues(type, values)).toEqual([]);
    expect(channelInput.safeParse(readInput(type, values))).toMatchObject({
      success: true,
      data: { type, enabled: true },
    });
  });
});

describe("the form's input", () => {
  it("keeps a mask, clears emptied fields, and restores defaults", () => {
    const values = toValues({ ...telegram, config: { ...telegram.config, messageThreadId: 4 } }).config.telegram ?? {};
    expect(values["chatId"]).toBe("-1001234567890");
    expect(readConfig("telegram", { ...values, messageThreadId: "" })).toMatchObject({
      botToken: "••••••",
      chatId: "-1001234567890",
      messageThreadId: null,
    });
    expect(readConfig("ntfy", { ...showConfig("ntfy"), serverUrl: "", topic: "a" })).toMatchObject({
      serverUrl: "https://ntfy.sh",
      token: null,
    });
  });

  it("omits empty headers", () => {
    const headers = [
      { name: "", value: " " },
      { name: "X-Team", value: "ops" },
    ];
    expect(readConfig("webhook", { ...showConfig("webhook"), headers })["headers"]).toEqual([headers[1]]);
  });

  it("maps paths to form fields, and a header list to one field", () => {
    expect(pathOf("webhook", "config.url")).toBe("config.webhook.url");
    expect(pathOf("webhook", "url")).toBe("config.webhook.url");
    expect(pathOf("webhook", "config.headers.1.value")).toBe("config.webhook.headers.1.value");
    expect(pathOf("telegram", "config.chatId.0")).toBe("config.telegram.chatId");
    expect(pathOf("slack", "config.chatId")).toBeNull();
  });
});
