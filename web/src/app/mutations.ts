/** Returns the tags that a successful mutation invalidates. A failed one changed nothing. */
export const onSuccess =
  <const Tag extends string>(...tags: Tag[]) =>
  (_answer: unknown, error: unknown): readonly Tag[] =>
    error === undefined ? tags : [];

export const post = <const Tag extends string>(url: string, ...tags: Tag[]) => ({
  query: (body: unknown) => ({ url, method: "POST", body }),
  invalidatesTags: onSuccess(...tags),
});

export const put = <const Tag extends string>(url: string, ...tags: Tag[]) => ({
  query: ({ id, input }: { id: number; input: unknown }) => ({ url: `${url}/${id}`, method: "PUT", body: input }),
  invalidatesTags: onSuccess(...tags),
});

export const remove = <const Tag extends string>(url: string, ...tags: Tag[]) => ({
  query: (id: number) => ({ url: `${url}/${id}`, method: "DELETE" }),
  invalidatesTags: onSuccess(...tags),
});
