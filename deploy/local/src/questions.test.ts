import { expect, it } from "vitest";
import { createQuestions } from "./questions.ts";

it("gives each question its own answer, whatever their order", async () => {
  const questions = createQuestions<string>(60_000);
  const sent: number[] = [];
  const first = questions.ask((number) => sent.push(number));
  const second = questions.ask((number) => sent.push(number));
  questions.answer(sent[1] ?? 0, "second");
  questions.answer(sent[0] ?? 0, "first");
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
});

it("waits for no answer beyond its time, and takes none afterwards", async () => {
  const questions = createQuestions<string>(1);
  let number = 0;
  expect(await questions.ask((given) => void (number = given))).toBeUndefined();
  questions.answer(number, "too late");
});
