import { type StatusConfig, statusConfig } from "@sonde/proto/http/status/config";

/** The public page's configuration, which the bus has as JSON. */
export const presentStatusConfig = (text: string): StatusConfig => statusConfig.parse(JSON.parse(text));

/** The address of the public page; only a path if PUBLIC_URL is not set. */
export const publicPageUrl = (publicUrl: string | null): string => `${publicUrl ?? ""}/status`;
