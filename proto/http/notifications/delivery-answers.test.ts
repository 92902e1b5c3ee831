import { expect, test } from "vitest";
import { answerForReaders, deliveryAnswers, explainAnswer, isOwnAnswer } from "./delivery-answers.ts";

test("every answer of Sonde's own is found again when its facts are filled in, and keeps them", () => {
  for (const [english, chinese] of Object.entries(deliveryAnswers)) {
    const facts = (text: string) => text.replace(/\{(\w+)\}/g, (_whole, name: string) => `<${name}>`);
    expect(explainAnswer(facts(english), "zh-CN")).toBe(facts(chinese));
    expect(explainAnswer(facts(english), "en-US")).toBe(facts(english));
  }
});

test("why a connection failed is translated as for checks, and a provider's own words stay", () => {
  expect(explainAnswer("The connection was refused", "zh-CN")).toBe("连接被拒绝");
  expect(explainAnswer("no_service", "zh-CN")).toBe("no_service");
  expect(isOwnAnswer("The connection was refused")).toBe(true);
  expect(isOwnAnswer("no_service")).toBe(false);
});

test("readers see Sonde's own notes, but no words of a provider", () => {
  for (const own of ["", "The connection was refused", "Gave up: the message could not be sent in time"])
    expect(answerForReaders(own)).toBe(own);
  for (const words of [
    "no_service",
    "Not sent: the provider rejected this channel earlier (no_service)",
    "The login was refused: x",
  ])
    expect(explainAnswer(answerForReaders(words), "zh-CN")).toBe("服务商的响应仅对有修改权限的用户显示");
});
