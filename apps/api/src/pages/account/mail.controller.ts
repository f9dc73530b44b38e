import { Controller, Get, Header, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { type Page, PageInterceptor } from '../layout/page';
import { MailService } from './mail.service';

/**
 * The links in mails. Each address is secret and does one thing. Programs that look through mails open links, so only
 * the button of the page does it; programs of the receiver send the same POST (RFC 8058).
 */
@Controller('mail')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class MailLinksController {
  constructor(private readonly mail: MailService) {}

  @Get('confirm/:token')
  @Header('Cache-Control', 'private, no-store')
  @Header('X-Robots-Tag', 'noindex')
  async renderConfirmation(@Param('token') token: string): Promise<Page> {
    const { userName, address } = await this.mail.findUnconfirmed(token);
    const question = `Send mails about what the user ${userName} follows to ${address}?`;
    return {
      template: 'account/mail-link',
      data: { title: 'Confirm your address', question, button: 'Confirm' },
    };
  }

  @Post('confirm/:token')
  @HttpCode(200)
  @Header('Cache-Control', 'private, no-store')
  async confirm(@Param('token') token: string): Promise<Page> {
    await this.mail.confirm(token);
    return resultPage('Your address is confirmed', 'You get mails about what you follow.');
  }

  @Get('unsubscribe/:token')
  @Header('Cache-Control', 'private, no-store')
  @Header('X-Robots-Tag', 'noindex')
  async renderEnd(@Param('token') token: string): Promise<Page> {
    const question = `End the mails about what the user ${await this.mail.ownerOf(token)} follows?`;
    return {
      template: 'account/mail-link',
      data: { title: 'End these mails', question, button: 'End the mails' },
    };
  }

  @Post('unsubscribe/:token')
  @HttpCode(200)
  @Header('Cache-Control', 'private, no-store')
  async unsubscribe(@Param('token') token: string): Promise<Page> {
    await this.mail.unsubscribe(token);
    return resultPage('The mails have ended', 'You can choose them again on your own pages.');
  }
}

function resultPage(title: string, question: string): Page {
  return { template: 'account/mail-link', data: { title, question, button: null } };
}
