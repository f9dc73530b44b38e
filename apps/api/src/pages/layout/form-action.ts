import { applyDecorators, HttpCode, Injectable, Post, UseInterceptors } from '@nestjs/common';
import type { ArgumentMetadata, CallHandler, ExecutionContext, NestInterceptor, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Strict } from '@proctor/contracts';
import { getMetadataStorage } from 'class-validator';
import type { Response } from 'express';
import { catchError, from, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Sent } from '../../http/body.interceptor';
import type { Parameter, Parameters } from '../../http/parameters';
import { ParametersPipe } from '../../http/parameters.pipe';
import { pathOf } from '../../http/paths';
import type { Problem } from '../../http/problem';
import { problemOf } from '../../http/problem-of';
import type { ContextRequest } from '../../http/request-context';
import { keysOf } from '../../http/shape';
import type { Shape } from '../../http/shape';
import { TakesForm } from '../../sessions/form-protection';
import type { RefusedForm } from './forms';
import type { Page, Redirect } from './page';

/** The question to a user before an action that is hard to undo. */
export interface Question {
  title: string;
  /** The effect of the action, with numbers. */
  lead: string;
  button: string;
  /** The page to return to without the action; by default the `then` of the form. */
  back?: string;
}

/** An action that the user must confirm first. */
export interface ConfirmedAction {
  /** A question, or a page of its own that asks or explains why there is nothing to do. */
  question: () => Question | Page | Promise<Question | Page>;
  act: () => Promise<unknown>;
}

/** Where a form is, and where it leads. */
interface FormPlace<Pages> {
  /** The path to open when the handler returns no page. `:name` is replaced by this parameter of the form's path. */
  then?: string;
  /** The page that has the form: it is shown again when the form is refused. Without it the problem is a page of its own. */
  page?: (pages: Pages, request: ContextRequest) => Page | Promise<Page>;
  /** The field that has the problem when it names none. */
  field?: string;
}

interface FormOptions<Pages> extends FormPlace<Pages> {
  status?: number;
  /** What a refusal means, as a sentence; by default that nothing was changed. */
  refusal?: string;
  /** The list that has the same form in its rows, with the field `in_list`. */
  list?: FormPlace<Pages>;
}

/**
 * A decorator for a handler of a form. The form must come from this server: see `TakesForm`. The handler may act at once;
 * a text that it returns is shown on the page that opens then. If it returns a `ConfirmedAction`, the question is shown
 * first; its page sends the same fields again with `confirmed`.
 */
export function Form<Pages>(path: string, options: FormOptions<Pages> = {}): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(options.status ?? 200),
    TakesForm(),
    UseInterceptors(formAction(options)),
  );
}

/** The field that the page of a question adds. */
const CONFIRMED = 'confirmed';

/** The field of a form in a row of a list. */
const IN_LIST = 'in_list';

function formAction<Pages>({ list = {}, refusal, ...own }: FormOptions<Pages>): Type<NestInterceptor> {
  @Injectable()
  class FormActionInterceptor implements NestInterceptor<unknown, Page | Redirect> {
    constructor(private readonly modules: ModuleRef) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<Page | Redirect> {
      const http = context.switchToHttp();
      const request = http.getRequest<ContextRequest>();
      const parameters = request.parameters!;
      const isConfirmed = parameters.get(CONFIRMED)?.value === 'true';
      parameters.delete(CONFIRMED);
      const { then: address = '', page, field } = parameters.delete(IN_LIST) ? list : own;
      const then = address.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(String(request.params[name])),
      );
      return next.handle().pipe(
        mergeMap(async (answer: unknown) => {
          if (!isConfirmedAction(answer)) return answerOf(answer, then);
          if (isConfirmed) return answerOf(await answer.act(), then);
          const question = await answer.question();
          return isAnswer(question) ? question : questionPage(question, then, request);
        }),
        catchError((error: unknown) => {
          const problem = problemOf(error, parameters);
          if (!page || problem.status < 400 || problem.status >= 500) throw error;
          http.getResponse<Response>().status(problem.status).set(problem.headers);
          const pages = this.modules.get<Type<Pages>, Pages>(context.getClass());
          return from(
            refusedPage(() => page(pages, request), request, { problem, refusal, field }).catch(() => {
              // The page is not there: it may belong to what the form is about.
              throw error;
            }),
          );
        }),
      );
    }
  }
  return FormActionInterceptor;
}

function answerOf(outcome: unknown, then: string): Page | Redirect {
  if (isAnswer(outcome)) return outcome;
  if (then === '') throw new Error('an action of a form has neither a page nor an address as its answer');
  return { redirectTo: then, ...(typeof outcome === 'string' && { notice: outcome }) };
}

function questionPage(question: Question, then: string, request: ContextRequest): Page {
  const fields = [...request.parameters!]
    .filter(([, parameter]) => !isEmpty(parameter))
    .flatMap(([name, { value }]) => [value].flat().map((each) => [name, String(each)]));
  return { template: 'admin/confirm', data: { back: then, ...question, action: pathOf(request), fields } };
}

async function refusedPage(
  load: () => Page | Promise<Page>,
  request: ContextRequest,
  { problem, refusal, field }: { problem: Problem; refusal: string | undefined; field: string | undefined },
): Promise<Page> {
  const page = await load();
  const { errors, detail } = problem;
  const mistakes = errors.map((error): [string, string] => [fieldAt(error.pointer), error.detail]);
  const refusedForm: RefusedForm = {
    action: pathOf(request),
    values: new Map([...request.parameters!].map(([name, { value }]) => [name, value])),
    mistakes: new Map(mistakes.length === 0 && field !== undefined ? [[field, detail]] : mistakes),
    detail,
    refusal,
  };
  return { ...page, refusedForm };
}

/** The name of the field at a JSON pointer such as `#/name`. */
function fieldAt(pointer: string): string {
  return decodeURIComponent(pointer.replace(/^#\//, '')).replace(LIST_END, '');
}

function isConfirmedAction(answer: unknown): answer is ConfirmedAction {
  return typeof answer === 'object' && answer !== null && 'question' in answer && 'act' in answer;
}

function isAnswer(answer: unknown): answer is Page | Redirect {
  return typeof answer === 'object' && answer !== null && ('template' in answer || 'redirectTo' in answer);
}

function isEmpty({ value }: Parameter): boolean {
  return value === '';
}

/** The end of the names of boxes that form a list. */
const LIST_END = /\[\]$/;

/**
 * Reads the class of a form. An empty field counts as absent, unless the class requires the field. Ticked boxes of one
 * name, such as `suite[]`, are the list of that field.
 */
@Injectable()
class FormPipe extends ParametersPipe {
  override transform(parameters: Parameters, metadata: ArgumentMetadata): object {
    const shape = metadata.metatype as Shape;
    const [keys, needed] = [keysOf(shape), neededFields(shape)];
    const filled: Parameters = new Map();
    for (const [name, parameter] of parameters) {
      const key = name.replace(LIST_END, '');
      if (key !== name && keys.has(key)) filled.set(key, listOf(parameter));
      else if (needed.has(name) || !isEmpty(parameter)) filled.set(name, parameter);
    }
    return super.transform(filled, metadata);
  }
}

function listOf({ value, pointer }: Parameter): Parameter {
  return { value: [value].flat(), isText: false, pointer };
}

/** A parameter of a handler: the fields of the form. The type of the parameter is the class of the form. */
export const SentForm = (): ParameterDecorator => Sent(FormPipe);

/** A form without fields. */
@Strict()
export class NoFields {}

/** The names of the required fields. When one is empty, its validation rule has the error message. */
function neededFields(shape: Shape): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const namesOf = (isMeant: (type: string) => boolean): string[] =>
    rules.filter(({ type }) => isMeant(type)).map(({ propertyName }) => propertyName);
  const optional = new Set(namesOf((type) => type === 'conditionalValidation'));
  const ruled = namesOf((type) => type !== 'conditionalValidation' && type !== 'whitelistValidation');
  return new Set(ruled.filter((name) => !optional.has(name)));
}
