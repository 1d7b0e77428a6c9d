/* angles.c: trigonometry and exp for turns and zooms, with + - * / and sqrt alone. So the pictures
 * that a file of events expects are the same on every machine. Absolute errors are below 1e-12
 * where the result is below 10 (tests/test_viewer.c).
 */
#include "internal.h"

#include <math.h>

#define DEGREES (180.0 / 3.14159265358979323846)

/* Sums the series of sine and cosine for a sixteenth of the angle, then doubles the angle four
 * times: tan 2a = 2 tan a / (1 - tan^2 a). */
double viewer_tan(double degrees)
{
    const double a = degrees / DEGREES / 16.0, square = a * a;
    double sine = 0.0, cosine = 0.0;
    for (int k = 8; k > 0; k--) { /* Horner, from the smallest term */
        sine = (1.0 - sine) * square / (2.0 * k * (2.0 * k + 1.0));
        cosine = (1.0 - cosine) * square / (2.0 * k * (2.0 * k - 1.0));
    }
    double t = a * (1.0 - sine) / (1.0 - cosine);
    for (int i = 0; i < 4; i++) {
        t = 2.0 * t / (1.0 - t * t);
    }
    return t;
}

/* Returns the arc tangent of a ratio >= 0, in degrees. Halves the angle four times by
 * tan a/2 = tan a / (1 + sqrt(1 + tan^2 a)), then sums the series of the arc tangent. */
static double arc(double t)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        t = t / (1.0 + sqrt(1.0 + t * t));
    }
    for (int k = 10; k >= 0; k--) {
        sum = 1.0 / (2.0 * k + 1.0) - t * t * sum;
    }
    return 16.0 * t * sum * DEGREES;
}

double viewer_arc_tan(double y, double x)
{
    const double across = fabs(x), up = fabs(y);
    const double angle = across + up == 0.0 ? 0.0
                         : up <= across     ? arc(up / across)
                                            : 90.0 - arc(across / up);
    const double turned = x < 0.0 ? 180.0 - angle : angle;
    return y < 0.0 ? -turned : turned;
}

double viewer_arc_sin(double sine)
{
    return viewer_arc_tan(sine, sqrt((1.0 - sine) * (1.0 + sine)));
}

/* Sums the series of e^(x / 64) and squares it six times. */
double viewer_exp(double x)
{
    const double part = x / 64.0;
    double sum = 1.0;
    for (int k = 12; k > 0; k--) {
        sum = 1.0 + sum * part / k;
    }
    for (int i = 0; i < 6; i++) {
        sum *= sum;
    }
    return sum;
}
