import { channel, hostAt, secretUrl } from "../channel.ts";

/** A Microsoft Teams workflow that posts webhook messages; its address is the secret. */
export const teams = channel({
  type: "teams",
  fields: {
    // Office connectors are retired: messages sent there are lost.
    webhookUrl: secretUrl().refine(
      (text) => !URL.canParse(text) || !/(?:^|\.)webhook\.office\.com$/i.test(new URL(text).hostname),
      "Office connectors have been retired: use a workflow URL",
    ),
  },
  form: [{ name: "webhookUrl", input: "secret", placeholder: "https://….logic.azure.com/workflows/…" }],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
