import { expect, test } from "vitest";
import { deliveryAnswers, explainAnswer, isOwnAnswer } from "./delivery-answers.ts";

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
