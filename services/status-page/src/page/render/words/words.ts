import { enUS } from "./en-US.ts";
import type { Words } from "./shape.ts";
import { zhCN } from "./zh-CN.ts";

export type { Words } from "./shape.ts";
export const words: Record<"zh-CN" | "en-US", Words> = { "zh-CN": zhCN, "en-US": enUS };
