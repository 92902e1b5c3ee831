import type { Language } from "@sonde/proto/http/messages";
import { words as english } from "./en-US.ts";
import type { MailWords } from "./shape.ts";
import { words as chinese } from "./zh-CN.ts";

export const wordsOf = (language: Language): MailWords => (language === "zh-CN" ? chinese : english);
