import type { channelTestAnswer } from "@sonde/proto/http/notifications/channels";
import type { contactsAnswer, contactsInput } from "@sonde/proto/http/on-call/contacts";
import type { z } from "zod";
import { type AnswerOf, api } from "../../../app/api.ts";

export type ContactsPage = AnswerOf<typeof contactsAnswer>;
export type Contacts = ContactsPage["contacts"];
export type ContactsBody = z.input<typeof contactsInput>;

/** The server waits 15 s for the provider. */
const testTimeoutMs = 25_000;

const contactsApi = api.injectEndpoints({
  endpoints: (build) => ({
    contacts: build.query<ContactsPage, void>({ query: () => "/me/contacts" }),
    saveContacts: build.mutation<ContactsPage, ContactsBody>({
      query: (body) => ({ url: "/me/contacts", method: "PUT", body }),
      async onQueryStarted(_body, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer === undefined) return;
        const { contacts } = answer.data;
        dispatch(contactsApi.util.updateQueryData("contacts", undefined, (known) => ({ ...known, contacts })));
      },
    }),
    testContact: build.mutation<AnswerOf<typeof channelTestAnswer>, number>({
      query: (rule) => ({ url: "/me/contacts/test", method: "POST", body: { rule }, timeout: testTimeoutMs }),
      // A device that is gone is removed, and other contacts have a new proof.
      onQueryStarted: (_rule, { dispatch, queryFulfilled }) =>
        queryFulfilled.then(
          () =>
            void dispatch(contactsApi.endpoints.contacts.initiate(undefined, { forceRefetch: true, subscribe: false })),
          () => undefined,
        ),
    }),
  }),
});

export const { useContactsQuery, useSaveContactsMutation, useTestContactMutation } = contactsApi;

/** What is stored, as input. Masked addresses keep the stored ones. */
export function bodyOf({ timeZone, language, night, handoff, rules }: Contacts): ContactsBody {
  return {
    timeZone,
    language,
    night,
    handoff,
    rules: rules.map(({ urgency, after, via, to, channel }) => ({ urgency, after, via, to, channel })),
  };
}
