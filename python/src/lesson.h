/* lesson.h - a lesson of the library together with what it borrows. */
#ifndef S3SVM_BINDING_LESSON_H
#define S3SVM_BINDING_LESSON_H

typedef struct lesson lesson;

void lesson_free(lesson *l); /* NULL is fine */

#endif
