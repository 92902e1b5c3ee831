import { type ChannelTypeName, channelTypeNames, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import type { Page } from "playwright-core";
import { channels as words } from "../../web/src/locales/en-US/channels.ts";
import { channelTypes as types } from "../../web/src/locales/en-US/channels/types.ts";
import { notificationSettings as settings } from "../../web/src/locales/en-US/notifications.ts";

export const uiTexts = {
  nameOf: (type: ChannelTypeName) => types[type].name,
  broken: words.health.broken,
};

type Labels = Readonly<Record<string, { label: string; options?: Readonly<Record<string, string>> }>>;

/** Adds a channel with its form and sends a test. Resolves when the provider has accepted it. */
export async function addChannel(
  page: Page,
  origin: string,
  type: ChannelTypeName,
  config: Readonly<Record<string, unknown>>,
): Promise<void> {
  const labels: Labels = types[type].fields;
  await page.goto(`${origin}/notifications/channels/create?type=${type}`);
  await page.getByRole("textbox", { name: `${words.name} (optional)`, exact: true }).fill(uiTexts.nameOf(type));
  const further = page.getByText(words.advanced, { exact: true });
  if ((await further.count()) > 0) await further.click();
  for (const { name, input } of channelTypeOf(type).form) {
    const configured = config[name];
    if (typeof configured !== "string" && typeof configured !== "number") continue;
    const value = String(configured);
    const { label, options } = labels[name] ?? { label: name };
    const field = page.getByLabel(new RegExp(`^${escape(label)}(\\*| \\(.*\\))?$`));
    if (input === "choice") await field.selectOption({ label: options?.[value] ?? value });
    else await field.fill(value);
  }
  // A separate test adds the channels to the settings.
  await page.getByRole("switch", { name: words.useGlobally }).or(page.getByLabel(words.useGlobally)).first().uncheck();
  await page.getByRole("button", { name: words.createAndTest }).click();
  await page.waitForURL(/\/notifications$/);
  await page.getByText(words.test.delivered).first().waitFor();
}

/** Makes the channels of all types notify about one target: `monitor/7`, `agent/3`. */
export async function useAllChannels(page: Page, origin: string, target: string): Promise<void> {
  await page.goto(`${origin}/notifications/settings/${target}`);
  for (const type of channelTypeNames)
    await page.getByRole("checkbox", { name: uiTexts.nameOf(type), exact: true }).check();
  const saved = page.waitForResponse((response) => response.request().method() === "PUT" && response.ok());
  await page.getByRole("button", { name: settings.saveOwn }).click();
  await saved;
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
