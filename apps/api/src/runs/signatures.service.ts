import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { timestamp } from '@proctor/contracts';
import { ErrorSignatures, SIGNATURES_COMPARED_MAX, type SignatureOrder } from '@proctor/database';
import type { SignatureSummary, SignatureUse } from '@proctor/database';
import type { Signature, SignatureDetailsResource } from '@proctor/resources';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { noSuchSignature } from '../http/path-ids';
import { queryValue, oneOf } from '../http/parameter-values';
import { SharedAnswers } from '../http/shared-answers';
import { errorPath } from './page-paths';

export const SIGNATURE_ORDERS = ['seen', 'new'] as const satisfies readonly SignatureOrder[];
const SIGNATURES_SHOWN_MAX = 50;
const PACKAGES_SHOWN_MAX = 50;

/** The parameter `order` of the list. */
export const SIGNATURE_ORDER = queryValue<SignatureOrder>(oneOf(SIGNATURE_ORDERS), 'seen');

/** Errors across packages, of public runs only. */
@Injectable()
export class SignaturesService {
  private readonly lists: SharedAnswers<Signature[]>;

  constructor(
    private readonly signatures: ErrorSignatures,
    @Inject(CONFIGURATION) configuration: ApiConfiguration,
  ) {
    this.lists = new SharedAnswers(systemClock, {
      sizeMax: SIGNATURE_ORDERS.length + 1,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  /** Made once for all readers at the same time. */
  list(order: SignatureOrder): Promise<Signature[]> {
    return this.lists.find(order, () => this.load(order, SIGNATURES_SHOWN_MAX));
  }

  /** Finds frequent errors that have the text in a line around them, in any letter case. */
  async findByText(text: string): Promise<Signature[]> {
    const part = text.toLowerCase();
    const signatures = await this.lists.find('search', () => this.load('seen', SIGNATURES_COMPARED_MAX));
    return signatures.filter(({ excerpt }) =>
      excerpt.lines.some((line) => line.toLowerCase().includes(part)),
    );
  }

  private async load(order: SignatureOrder, limit: number): Promise<Signature[]> {
    return (await this.signatures.list(order, limit)).map(signatureObject);
  }

  /** @throws Problem 404 if no public run has it */
  async details(signature: string): Promise<SignatureDetailsResource> {
    const [summary, use] = await Promise.all([
      this.signatures.find(signature),
      this.signatures.use(signature, PACKAGES_SHOWN_MAX),
    ]);
    if (!summary) throw noSuchSignature(signature);
    return { ...signatureObject(summary), ...useObject(use) };
  }
}

/** An error signature as the API shows it. */
export function signatureObject(summary: SignatureSummary): Signature {
  const { firstLine, errorLine, lines } = summary.excerpt;
  return {
    signature: summary.signature,
    count: summary.count,
    is_more: summary.isMore,
    packages: summary.packages,
    places: summary.places,
    first_at: timestamp(summary.firstAt),
    first_run_id: summary.firstRunId,
    first_trigger: summary.firstTrigger,
    last_at: timestamp(summary.lastAt),
    last_run_id: summary.lastRunId,
    last_package: summary.lastPackage,
    excerpt: { first_line: firstLine, error_line: errorLine, lines },
    page_url: errorPath(summary.signature),
  };
}

function useObject({ packages, places }: SignatureUse): Omit<SignatureDetailsResource, keyof Signature> {
  return {
    by_package: packages.map((each) => {
      return { package: each.package, count: each.count, last_at: timestamp(each.lastAt) };
    }),
    by_place: places.map(({ suite, arch, count, lastAt }) => {
      return { suite, arch, count, last_at: timestamp(lastAt) };
    }),
  };
}
