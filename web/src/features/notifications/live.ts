import { keepRefetched } from "../../app/live/events.ts";

/** How soon what a delivery or an incident changed is fetched again. */
const deliveriesEveryMs = 1500;
const channelsEveryMs = 3000;
const settingsEveryMs = 5000;

/** Keeps a page of the delivery history live. */
export const keepDeliveriesLive = keepRefetched(
  () => "Deliveries",
  ({ name }) => (name === "delivery" ? deliveriesEveryMs : null),
);

/** Keeps each channel's health and last message live. */
export const keepChannelsLive = keepRefetched(
  () => "Channels",
  ({ name }) => (name === "delivery" ? channelsEveryMs : null),
);

/** Keeps the next reminder live: incidents and what was sent move it. */
export const keepSettingsLive = keepRefetched(
  () => "NotificationSettings",
  ({ name }) => (name === "incident" || name === "delivery" ? settingsEveryMs : null),
);
