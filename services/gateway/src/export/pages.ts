import { Batches } from "../batches.ts";

type Page = { restIds: number[]; total: number };
type List<P extends Page> = (query: { page?: number; pageSize: number; ids?: number[] }) => Promise<P>;

const pageSize = 200;

/**
 * Every entry of a list, as many at a time as one message of the bus holds. The first page is asked for before anything is
 * sent, so that a service that is away is said by the status.
 * @param list asks for a page, or for entries by their ids
 */
export async function allOf<P extends Page, Item>(list: List<P>, present: (page: P) => Item[]): Promise<Batches<Item>> {
  const first = await list({ page: 1, pageSize });
  return new Batches(pagesOf(first, list, present));
}

async function* pagesOf<P extends Page, Item>(
  first: P,
  list: List<P>,
  present: (page: P) => Item[],
): AsyncGenerator<Item[]> {
  let page = first;
  for (let number = 1; ; number += 1) {
    yield present(page);
    let { restIds } = page;
    while (restIds.length > 0) {
      const more = await list({ ids: restIds, pageSize: restIds.length });
      if (more.restIds.length >= restIds.length) throw new Error("an answer brought nothing of what was asked for");
      yield present(more);
      ({ restIds } = more);
    }
    if (number * pageSize >= page.total) return;
    page = await list({ page: number + 1, pageSize });
  }
}
