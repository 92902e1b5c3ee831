import { type StatusConfig, statusConfig } from "@sonde/proto/http/status-config";

/** The public page's configuration, which the bus has as JSON. */
export const presentStatusConfig = (text: string): StatusConfig => statusConfig.parse(JSON.parse(text));

/** Where people read the page; a path alone where nobody said under which address the installation is reached. */
export const publicPageUrl = (publicUrl: string | null): string => `${publicUrl ?? ""}/status`;
