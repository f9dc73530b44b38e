import { SignatureDetailsResource, text, SignatureList, words } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param, Query } from '@nestjs/common';
import type { SignatureOrder } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { SIGNATURE_ORDER, SIGNATURE_ORDERS, SignaturesService } from './signatures.service';
import { SIGNATURE_IN_PATH } from '../http/path-ids';

/** Errors that several runs share. */
@Controller('api/v1/signatures')
@Requires('key')
export class SignaturesController {
  constructor(private readonly signatures: SignaturesService) {}

  @Operation({
    tag: 'Service',
    id: 'listSignatures',
    summary: 'Errors across packages',
    description: [
      'For everybody, without a key: `/data/v1/signatures`.',
      'The errors of the newest public runs that have one, at most 50.',
    ].join('\n\n'),
    answer: {
      description: 'The errors.',
      of: SignatureList,
      example: {
        signatures: [
          {
            signature: '3f1d7f2e9a0e4c3f',
            count: 41,
            is_more: false,
            packages: 7,
            places: 3,
            first_at: '2026-11-17T15:40:51.123Z',
            first_run_id: 12,
            first_trigger: 'glibc/2.40-4',
            last_at: '2026-11-20T15:40:51.123Z',
            last_run_id: 980,
            last_package: 'hello',
            excerpt: { first_line: 120, error_line: 120, lines: ['E: No space left on device'] },
            page_url: '/status/errors/3f1d7f2e9a0e4c3f',
          },
        ],
      },
    },
    query: {
      order: {
        of: words(SIGNATURE_ORDERS, { default: 'seen' }),
        description: '`seen`: the most frequent lately first; `new`: those first that were seen first last.',
        example: 'new',
      },
    },
  })
  @Get()
  async list(@Query('order', SIGNATURE_ORDER) order: SignatureOrder): Promise<SignatureList> {
    return { signatures: await this.signatures.list(order) };
  }

  @Operation({
    tag: 'Service',
    id: 'getSignature',
    summary: 'One error',
    description: [
      'For everybody, without a key: `/data/v1/signatures/{signature}`.',
      'How often, since when and where public runs had this error.',
    ].join('\n\n'),
    answer: {
      description: 'The error.',
      of: SignatureDetailsResource,
      example: {
        signature: '3f1d7f2e9a0e4c3f',
        count: 41,
        is_more: false,
        packages: 7,
        places: 1,
        first_at: '2026-11-17T15:40:51.123Z',
        first_run_id: 12,
        first_trigger: 'glibc/2.40-4',
        last_at: '2026-11-20T15:40:51.123Z',
        last_run_id: 980,
        last_package: 'hello',
        excerpt: { first_line: 120, error_line: 120, lines: ['E: No space left on device'] },
        page_url: '/status/errors/3f1d7f2e9a0e4c3f',
        by_package: [{ package: 'hello', count: 9, last_at: '2026-11-20T15:40:51.123Z' }],
        by_place: [{ suite: 'sid', arch: 'amd64', count: 41, last_at: '2026-11-20T15:40:51.123Z' }],
      },
    },
    path: { signature: { of: text({ pattern: '^[0-9a-f]{16}$' }), example: '3f1d7f2e9a0e4c3f' } },
    refusals: {
      404: {
        description: 'No error of a public run has it.',
        detail: 'No error of a public run has the signature "3f1d7f2e9a0e4c3f".',
      },
    },
  })
  @Get(':signature')
  signature(@Param('signature', SIGNATURE_IN_PATH) signature: string): Promise<SignatureDetailsResource> {
    return this.signatures.details(signature);
  }
}
